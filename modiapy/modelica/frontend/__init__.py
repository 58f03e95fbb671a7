"""Modelica source becomes flat typed trees: libraries are found, the files that a model needs are given to the compiler.

The compiler (rumoca) runs as a process of its own; what it answers is kept in the cache. `FrontEnd` and
`FlatSource` are the interface of any front end.
"""
