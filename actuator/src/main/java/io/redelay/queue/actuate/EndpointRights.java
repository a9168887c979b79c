package io.redelay.queue.actuate;

import java.util.Collection;
import java.util.List;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

/**
 * Decides which users may see payloads and stacks, and which may write.
 *
 * @since 0.1.0
 */
public final class EndpointRights {

	private final Access access;

	private final List<String> writeRoles;

	private final Show showPayloads;

	private final List<String> payloadRoles;

	private final Show showStacks;

	private final List<String> stackRoles;

	/**
	 * Creates the rights of users who see no stacks.
	 * @param access the access to the endpoint {@code queues}
	 * @param writeRoles the roles of which a user needs one to write; if empty, any user
	 * who reaches the endpoint may write
	 * @param showPayloads whether payloads and headers are shown
	 * @param payloadRoles the roles that see them when authorized; if empty, every
	 * authenticated user
	 */
	public EndpointRights(Access access, Collection<String> writeRoles, Show showPayloads,
			Collection<String> payloadRoles) {
		this(access, writeRoles, showPayloads, payloadRoles, Show.NEVER, List.of());
	}

	/**
	 * Creates the rights.
	 * @param access the access to the endpoint {@code queues}
	 * @param writeRoles the roles of which a user needs one to write; if empty, any user
	 * who reaches the endpoint may write
	 * @param showPayloads whether payloads and headers are shown
	 * @param payloadRoles the roles that see them when authorized; if empty, every
	 * authenticated user
	 * @param showStacks whether threads of handlers, and their stacks, are shown
	 * @param stackRoles the roles that see these when authorized; if empty, every
	 * authenticated user
	 */
	public EndpointRights(Access access, Collection<String> writeRoles, Show showPayloads,
			Collection<String> payloadRoles, Show showStacks, Collection<String> stackRoles) {
		this.showStacks = showStacks;
		this.stackRoles = List.copyOf(stackRoles);
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

	boolean seesStacks(SecurityContext user) {
		return this.showStacks.isShown(user, this.stackRoles);
	}

	/**
	 * Refuses a user who may not see the stacks of handlers.
	 */
	void checkStacks(SecurityContext user) {
		if (!seesStacks(user)) {
			throw RequestException.forbidden("You may not see where handlers are in their code: see"
					+ " 'management.endpoint.queues.show-stacks'");
		}
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
