### faults
