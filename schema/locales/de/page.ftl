### page
