"""What a row counts, in words for the page and a terminal. Pure values.

A figure has a short name where it is counted; what it means is said here, so that a kept result need not be run again
when it is said better. Both forms may name `tried`; `{0}` is the figure.
"""

TRIES = {
    "R1": "one kill of one verb at one point",
    "R2": "one kill of the watcher",
    "R3": "one cut of one verb",
    "R4": "a line by each of the writers in log and in ledger",
    "R5": "one save by the person, in eight settings in turn",
    "R6": "one drawn order of ten steps",
    "R7": "one triple, of a folder or of a note in turn",
    "R8": "one file, of which three keys are set",
    "R9": "one call of one verb refused once",
    "R10": "one file of the index damaged",
    "R11": "a second of the four processes",
    "R12": "one holder that left the lock in some way",
    "R13": "six edits and entries under one drawn clock",
    "R14": "one operation",
    "R16": "one folder that was away, met by a sync and by a rebuild",
    "R17": "one vault kept and restored, whole and damaged",
    "S1": "one payload, given to every verb",
    "S2": "one note",
    "S3": "one text in both sizes, put to every reader",
    "S4": "one archive imported",
    "S6": "one text, brought in by every way",
    "S7": "one line, put to the rules",
    "S8": "every writing verb under one umask",
    "S9": "one verb with one planted file",
}
FIGURES = {
    "R1": {"points there are": "{tried} of {0} points, drawn by seed"},
    "R3": {"states": "{0} states of the disk judged"},
    "R5": {
        "writes of the agent": "{0} writes of the agent done",
        "refused": "{0} refused",
        "copies in conflict": "{0} copies in conflict, as saves come every few ms and the agent waits 2 or 4",
        "lost or hidden without the wait": "without any wait {0} saves lost or hidden",
    },
    "R6": {"nights": "{0} distillations"},
    "R9": {
        "done all the same": "the verb finished rightly in spite of the failed call: {0}",
        "refused": "it ended with an error of its own: {0}",
        "cases there are": "{tried} of {0} cases, drawn by seed",
    },
    "R10": {
        "noticed": "the recall told of the damage in {0} of {tried}; in the others no byte changed, or the file answers"
        " nothing (a lock, a list of recalls)",
    },
    "R16": {
        "refused with a reason": "{0} of the syncs and rebuilds (two a try) refused; the others are syncs that met"
        " placeholders and kept what the index held",
    },
    "R17": {
        "refused when damaged": "{0} of {tried} damaged files refused; in any other the changed byte was of a time,"
        " an attribute or a size in the archive's headers, and every file came back as it was",
    },
    "S1": {
        "refused": "{0} calls refused",
        "taken": "{0} accepted inside of the vault",
        "race": "race: {0} (the real one in the vault; to reach the outside would be a fault)",
    },
    "S6": {"shown texts": "{0} texts that an agent was shown looked through"},
    "S7": {
        "found": "{0} of the secrets found",
        "false": "{0} of the harmless lines touched",
        "lines through every way in": "{0} of the {tried} lines went through all 9 ways",
    },
    "S8": {"looked at": "{0} files and folders looked at"},
}
