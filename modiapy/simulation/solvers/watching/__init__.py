"""What is watched while an integrator steps: zero crossings, conditions that are waited for, and whether it gets anywhere."""
