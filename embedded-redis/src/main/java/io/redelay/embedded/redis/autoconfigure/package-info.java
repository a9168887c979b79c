/**
 * Offers an embedded Redis to an application that configures no Redis of its own.
 */
@NullMarked
package io.redelay.embedded.redis.autoconfigure;

import org.jspecify.annotations.NullMarked;
