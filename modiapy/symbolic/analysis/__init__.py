"""Questions about a translated model, of users and messages: sizes of the passes, incidence, units, places, causes."""
