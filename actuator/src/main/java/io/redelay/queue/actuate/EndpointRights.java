package io.redelay.queue.actuate;

import java.util.Collection;
import java.util.List;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

/**
 * Who may see payloads, and who may write.
 *
 * @since 0.1.0
 */
public final class EndpointRights {

	private final Access access;

	private final List<String> writeRoles;

	private final Show showPayloads;

	private final List<String> payloadRoles;

	/**
	 * Creates the rights.
	 * @param access what the endpoint {@code queues} offers
	 * @param writeRoles who may write has one of these; empty for whoever reaches the
	 * endpoint
	 * @param showPayloads whether payloads and headers are shown
	 * @param payloadRoles to whom, if not to all; empty for whoever is known
	 */
	public EndpointRights(Access access, Collection<String> writeRoles, Show showPayloads,
			Collection<String> payloadRoles) {
		this.access = access;
		this.writeRoles = List.copyOf(writeRoles);
		this.showPayloads = showPayloads;
		this.payloadRoles = List.copyOf(payloadRoles);
	}

	boolean mayWrite(SecurityContext user) {
		return this.access == Access.UNRESTRICTED
				&& (this.writeRoles.isEmpty() || Show.WHEN_AUTHORIZED.isShown(user, this.writeRoles));
	}

	boolean seesPayloads(SecurityContext user) {
		return this.showPayloads.isShown(user, this.payloadRoles);
	}

	/**
	 * Refuses a user who may not write.
	 */
	void checkWrite(SecurityContext user) {
		if (!mayWrite(user)) {
			throw RequestException.forbidden("You may look at queues here and not act on them: that takes one of the"
					+ " roles in 'management.endpoint.queues.write-roles'");
		}
	}

}
