package io.redelay.modulith;

import org.springframework.modulith.events.Externalized;

/**
 * An event that leaves the application.
 */
@Externalized("modulith-orders::#{customer()}")
record OrderPlaced(String id, String customer) {

}
