"""The walkthrough: an incident one moment a screen."""
