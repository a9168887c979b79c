/**
 * Beans and properties of the outbox for Spring Boot.
 */
@NullMarked
package io.redelay.outbox.autoconfigure;

import org.jspecify.annotations.NullMarked;
