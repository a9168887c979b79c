package io.redelay.benchmarks.far;

/**
 * What was measured once.
 *
 * @param part the part of the benchmark
 * @param what what was measured, and its unit
 * @param value the figure
 */
record FarSample(String part, String what, Number value) {

}
