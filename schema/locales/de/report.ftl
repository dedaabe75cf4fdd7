### report
