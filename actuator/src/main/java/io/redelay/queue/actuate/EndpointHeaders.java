package io.redelay.queue.actuate;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;

/**
 * Which headers the responses of the endpoints and of the page have, and which methods of
 * requests are refused there, whatever their path. For the filters of both kinds of web
 * servers.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class EndpointHeaders {

	private static final List<String> READS = List.of("GET", "HEAD", "OPTIONS");

	private static final List<String> ALL = List.of("GET", "HEAD", "OPTIONS", "POST", "DELETE");

	private static final String CONFIG = "/config";

	/**
	 * Payloads and names stay in no cache.
	 */
	private static final Map<String, String> DATA = Map.of("X-Content-Type-Options", "nosniff", "Cache-Control",
			"no-store");

	/**
	 * The files of another version have the same names.
	 */
	private static final Map<String, String> FILES = Map.of("X-Content-Type-Options", "nosniff", "Cache-Control",
			"no-cache");

	private final Supplier<@Nullable PathMappedEndpoints> endpoints;

	private final Supplier<Access> access;

	private volatile @Nullable Paths paths;

	/**
	 * Creates the rules.
	 * @param endpoints where the endpoints are, known when all are; {@code null} if there
	 * are none
	 * @param access the access to the endpoint {@code queues}
	 */
	public EndpointHeaders(Supplier<@Nullable PathMappedEndpoints> endpoints, Supplier<Access> access) {
		this.endpoints = endpoints;
		this.access = access;
	}

	/**
	 * Returns the headers of a response.
	 * @param path the path of its request within the application
	 * @return the headers; none if another endpoint, or none, is there
	 */
	public Map<String, String> of(String path) {
		Paths known = paths();
		if (isBelow(known.page(), path)) {
			return path.endsWith(CONFIG) ? DATA : FILES;
		}
		return (isBelow(known.queues(), path) || isBelow(known.locks(), path)) ? DATA : Map.of();
	}

	/**
	 * Returns the methods that the endpoint has, if that of a request is none of them.
	 * @param path the path of the request within the application
	 * @param method its method
	 * @return the methods, for a response of 405; {@code null} if the request may go on
	 */
	public @Nullable String allowed(String path, String method) {
		if (READS.contains(method)) {
			return null;
		}
		Paths known = paths();
		if (isBelow(known.queues(), path) && this.access.get() == Access.UNRESTRICTED) {
			return ALL.contains(method) ? null : String.join(", ", ALL);
		}
		boolean mine = isBelow(known.queues(), path) || isBelow(known.page(), path) || isBelow(known.locks(), path);
		return mine ? String.join(", ", READS) : null;
	}

	private static boolean isBelow(@Nullable String root, String path) {
		return root != null && path.startsWith(root)
				&& (path.length() == root.length() || path.charAt(root.length()) == '/');
	}

	private Paths paths() {
		Paths known = this.paths;
		if (known == null) {
			PathMappedEndpoints all = this.endpoints.get();
			known = new Paths(path(all, "redelay"), path(all, "queues"), path(all, "locks"));
			this.paths = known;
		}
		return known;
	}

	private static @Nullable String path(@Nullable PathMappedEndpoints all, String id) {
		return (all != null) ? all.getPath(EndpointId.of(id)) : null;
	}

	/**
	 * Where the endpoints are; {@code null} for one that is not exposed.
	 */
	private record Paths(@Nullable String page, @Nullable String queues, @Nullable String locks) {

	}

}
