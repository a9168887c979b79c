/**
 * Spring Boot auto-configuration for Redelay.
 */
@NullMarked
package io.redelay.autoconfigure;

import org.jspecify.annotations.NullMarked;
