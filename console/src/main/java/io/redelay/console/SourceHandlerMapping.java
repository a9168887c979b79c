package io.redelay.console;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Leads requests for endpoints to the source in their address.
 *
 * @param sources the sources
 */
record SourceHandlerMapping(Sources sources) implements HandlerMapping, Ordered {

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public @Nullable HandlerExecutionChain getHandler(HttpServletRequest request) throws Exception {
		Source source = this.sources.of(request);
		return (source != null) ? source.handler(request) : null;
	}

}
