/**
 * What users import to shape listeners: filters, interceptors and the other hooks, gates,
 * and listeners that are defined while the application runs.
 */
@NullMarked
package io.redelay.queue.listener;

import org.jspecify.annotations.NullMarked;
