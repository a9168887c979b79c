/**
 * Takes externalized events of Spring Modulith to queues and topics.
 */
@NullMarked
package io.redelay.modulith;

import org.jspecify.annotations.NullMarked;
