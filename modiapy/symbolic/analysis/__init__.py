"""What users and messages ask about a translated model: sizes of the passes, incidence, units, places in files, causes."""
