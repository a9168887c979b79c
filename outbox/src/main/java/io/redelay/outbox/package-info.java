/**
 * API to send messages together with a database transaction.
 */
@NullMarked
package io.redelay.outbox;

import org.jspecify.annotations.NullMarked;
