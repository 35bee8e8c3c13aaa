"""Repair: limits on rates, and the solvers that meet them at the least loss, each with a certificate.

Read in this order, each line from what it asks to how it is solved:

    problem, limits, sharing                        what is asked, as arrays; no solver
    levels                                          limits as bounds that depend on one level each
    polygons, oracle, master, convex, decode        convex cells: a few levels instead of all corners
      derived, randomize, sequential, overall       the methods with coins (triangles: for overall)
    range_minimum, threshold_grid, box_search       single thresholds: branch and bound over boxes of levels
      thresholds                                    the method without coins
    shared_program, shared                          cells that share policies: one program for all
    solve, recheck, certificate, solution           one way through every method; no answer goes unchecked
    penalty                                         prices instead of limits, by solutions under limits
"""
