"""Where the machine code of the engine finds what: slots of the context, tables of signals."""
