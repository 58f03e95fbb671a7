"""The multibody engine as a predefined acausal component: between the protocol and the rest of `modia3d`.

The engine knows an action program only through `program`; `modia3d.actions` implements it."""
