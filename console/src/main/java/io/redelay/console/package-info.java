/**
 * A program that shows the queues of several Redis servers.
 */
@NullMarked
package io.redelay.console;

import org.jspecify.annotations.NullMarked;
