"""Synchronous elements of the language: clocks and clocked partitions become events and memory that changes at ticks."""
