"""Line formats that come in gigabytes, staged set by set; what a set cannot say for certain takes the record path."""
