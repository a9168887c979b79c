/**
 * What users import to send messages as a bundle, and to handle what became of them.
 */
@NullMarked
package io.redelay.queue.bundle;

import org.jspecify.annotations.NullMarked;
