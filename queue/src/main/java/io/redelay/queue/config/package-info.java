/**
 * From the annotation to a running container: the post-processor finds annotated methods,
 * the registry keeps their endpoints, and the factory makes their containers.
 */
@NullMarked
package io.redelay.queue.config;

import org.jspecify.annotations.NullMarked;
