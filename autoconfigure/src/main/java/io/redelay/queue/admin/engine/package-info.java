/**
 * Carries out what {@link io.redelay.queue.admin.QueueAdmin} offers, on a
 * {@link io.redelay.queue.store.QueueAdminStore}: commands, pages of messages, dead
 * messages, expiry, and the descriptions of instances.
 */
@NullMarked
package io.redelay.queue.admin.engine;

import org.jspecify.annotations.NullMarked;
