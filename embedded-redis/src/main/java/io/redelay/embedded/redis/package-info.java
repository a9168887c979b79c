/**
 * A real redis-server, started and stopped by tests and by applications in development.
 */
@NullMarked
package io.redelay.embedded.redis;

import org.jspecify.annotations.NullMarked;
