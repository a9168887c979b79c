package io.redelay.modulith;

import org.springframework.modulith.events.Externalized;

/**
 * An event for all groups of a topic.
 */
@Externalized("topic:modulith-payments")
record OrderPaid(String id) {

}
