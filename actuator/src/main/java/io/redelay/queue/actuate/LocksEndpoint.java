package io.redelay.queue.actuate;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * The endpoint {@code locks}: which locks are held or waited for, by which threads of
 * which instances, since when. It only looks.
 *
 * @since 0.1.0
 */
@WebEndpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint {

	private final LockReads reads;

	/**
	 * Creates the endpoint.
	 * @param reads reads the locks
	 */
	public LocksEndpoint(LockReads reads) {
		this.reads = reads;
	}

	/**
	 * {@code GET locks}.
	 * @param page the number of the page
	 * @param size how many it can hold
	 * @param name a part of the names of the locks
	 * @return the locks by name
	 */
	@ReadOperation
	public WebEndpointResponse<Object> locks(@Nullable String page, @Nullable String size, @Nullable String name) {
		return Responses.read(() -> this.reads.locks(page, size, name));
	}

	/**
	 * {@code GET locks/{lock}}.
	 * @param lock its name, which may have slashes
	 * @return the lock, which is free if it has no holder
	 */
	@ReadOperation
	public WebEndpointResponse<Object> lock(@Selector(match = Selector.Match.ALL_REMAINING) String... lock) {
		return Responses.read(() -> this.reads.lock(String.join("/", lock)));
	}

}
