package io.redelay.autoconfigure;

import io.redelay.queue.actuate.EndpointHeaders;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.WebFilter;

/**
 * The filters that set the headers of the endpoints' responses, in the context that has
 * the web server of the actuator. They come after those of Spring Security, which set
 * such headers only where there are none.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnClass(EndpointHeaders.class)
final class EndpointHeadersConfiguration {

	@Bean
	EndpointHeaders redelayEndpointHeaders(ObjectProvider<PathMappedEndpoints> endpoints,
			ObjectProvider<EndpointAccessResolver> accesses) {
		return new EndpointHeaders(endpoints::getIfAvailable,
				() -> accesses.getIfAvailable(() -> (id, byDefault) -> byDefault)
					.accessFor(EndpointId.of("queues"), Access.READ_ONLY));
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	@ConditionalOnClass({ Filter.class, HttpStatus.class })
	static class Servlet {

		@Bean
		Filter redelayEndpointHeadersFilter(EndpointHeaders headers) {
			return (request, response, chain) -> {
				HttpServletRequest http = (HttpServletRequest) request;
				HttpServletResponse answer = (HttpServletResponse) response;
				String path = (http.getPathInfo() != null) ? http.getPathInfo() : http.getServletPath();
				headers.of(path).forEach(answer::setHeader);
				String allowed = headers.allowed(path, http.getMethod());
				if (allowed != null) {
					answer.setHeader("Allow", allowed);
					answer.sendError(HttpStatus.METHOD_NOT_ALLOWED.value());
					return;
				}
				chain.doFilter(request, response);
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	@ConditionalOnClass({ WebFilter.class, Mono.class })
	static class Reactive {

		@Bean
		WebFilter redelayEndpointHeadersFilter(EndpointHeaders headers) {
			return (exchange, chain) -> {
				String path = exchange.getRequest().getPath().pathWithinApplication().value();
				headers.of(path).forEach(exchange.getResponse().getHeaders()::set);
				String allowed = headers.allowed(path, exchange.getRequest().getMethod().name());
				if (allowed != null) {
					exchange.getResponse().getHeaders().set("Allow", allowed);
					return Mono.error(new ResponseStatusException(HttpStatus.METHOD_NOT_ALLOWED));
				}
				return chain.filter(exchange);
			};
		}

	}

}
