"""Measuring: data sets, measures, runs and reports."""
