package io.redelay.autoconfigure;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of the endpoint {@code queues}.
 *
 * @param showPayloads Whether payloads, headers and results of messages are shown, with
 * secrets masked.
 * @param payloadRoles Roles of the users that see payloads when these are shown to
 * authorized users only. When empty, all authenticated users see them.
 * @param showStacks Whether the threads of running handlers are shown, with the line of
 * code where each is, and its stack.
 * @param stackRoles Roles of the users that see threads and stacks when these are shown
 * to authorized users only. When empty, all authenticated users see them.
 * @param writeRoles Roles of the users that may act on queues and messages, if the access
 * to the endpoint is unrestricted. When empty, all users that may send requests to it.
 * @since 0.1.0
 */
@ConfigurationProperties("management.endpoint.queues")
record QueueEndpointProperties(@DefaultValue("never") Show showPayloads, @DefaultValue Set<String> payloadRoles,
		@DefaultValue("never") Show showStacks, @DefaultValue Set<String> stackRoles,
		@DefaultValue Set<String> writeRoles) {

}
