/**
 * Locks that a majority of several servers hold together.
 */
@NullMarked
package io.redelay.lock.quorum;

import org.jspecify.annotations.NullMarked;
