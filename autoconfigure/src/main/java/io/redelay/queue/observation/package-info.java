/**
 * What sending and handling tell Micrometer's Observation API.
 */
@NullMarked
package io.redelay.queue.observation;

import org.jspecify.annotations.NullMarked;
