"""From Modelica source to flat typed trees: libraries are found, the files that a model needs are given to the compiler.

The compiler (rumoca) runs as a process of its own; what it answers is kept in the cache. What the project needs of any
front end is `FrontEnd` and `FlatSource`.
"""
