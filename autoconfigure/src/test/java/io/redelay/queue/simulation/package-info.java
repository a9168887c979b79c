/**
 * Whole instances on one thread, in virtual time, against a model of the server; a seed
 * repeats each run exactly.
 */
package io.redelay.queue.simulation;
