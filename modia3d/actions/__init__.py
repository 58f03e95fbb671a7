"""Action programs: what they are written of, their paths and conditions, and how they are carried out."""
