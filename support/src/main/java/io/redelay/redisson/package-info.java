/**
 * The Redisson client, built from Spring Boot's Redis connection details.
 */
@NullMarked
package io.redelay.redisson;

import org.jspecify.annotations.NullMarked;
