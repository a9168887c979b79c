package io.redelay.console;

import java.io.IOException;
import java.util.Set;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses all requests that would change something, and those to a source that has too
 * many under way.
 */
final class ReadOnlyFilter extends OncePerRequestFilter {

	private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");

	private static final Refusal READ_ONLY = new Refusal(HttpServletResponse.SC_METHOD_NOT_ALLOWED, "read-only",
			"The console only reads, for everybody: act on the page or the endpoints of the application itself.");

	private final Sources sources;

	ReadOnlyFilter(Sources sources) {
		this.sources = sources;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		if (!READS.contains(request.getMethod())) {
			response.setHeader("Allow", "GET, HEAD, OPTIONS");
			READ_ONLY.write(response);
			return;
		}
		Source source = this.sources.of(request);
		if (source == null) {
			chain.doFilter(request, response);
		}
		else if (source.enter()) {
			try {
				chain.doFilter(request, response);
			}
			finally {
				source.leave();
			}
		}
		else {
			new Refusal(HttpServletResponse.SC_SERVICE_UNAVAILABLE, "unavailable",
					"The source '" + source.name() + "' has as many requests under way as it may: its Redis is slow.")
				.write(response);
		}
	}

}
