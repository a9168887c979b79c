package io.redelay.management.docs;

import reactor.core.publisher.Mono;

import org.springframework.boot.security.autoconfigure.actuate.web.reactive.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.csrf.CookieServerCsrfTokenRepository;
import org.springframework.security.web.server.csrf.CsrfToken;
import org.springframework.security.web.server.csrf.CsrfWebFilter;
import org.springframework.security.web.server.csrf.ServerCsrfTokenRequestAttributeHandler;
import org.springframework.security.web.server.util.matcher.AndServerWebExchangeMatcher;
import org.springframework.security.web.server.util.matcher.ServerWebExchangeMatcher.MatchResult;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;

@Configuration(proxyBeanMethods = false)
class ReactivePageSecurity {

	@Bean
	SecurityWebFilterChain security(ServerHttpSecurity http) {
		return http
			.authorizeExchange((exchanges) -> exchanges.matchers(EndpointRequest.to("health"))
				.permitAll()
				.matchers(EndpointRequest.toAnyEndpoint())
				.hasAnyRole("VIEWER", "OPERATOR")
				.anyExchange()
				.authenticated())
			.formLogin(Customizer.withDefaults())
			.httpBasic(Customizer.withDefaults())
			.csrf((csrf) -> csrf.csrfTokenRepository(CookieServerCsrfTokenRepository.withHttpOnlyFalse()) // <1>
				.csrfTokenRequestHandler(new ServerCsrfTokenRequestAttributeHandler())
				.requireCsrfProtectionMatcher(new AndServerWebExchangeMatcher(CsrfWebFilter.DEFAULT_CSRF_MATCHER,
						ReactivePageSecurity::isOfBrowser)))
			.build();
	}

	@Bean
	WebFilter csrfCookie() { // <2>
		return (exchange, chain) -> exchange.getAttributeOrDefault(CsrfToken.class.getName(), Mono.empty())
			.then(Mono.defer(() -> chain.filter(exchange)));
	}

	private static Mono<MatchResult> isOfBrowser(ServerWebExchange exchange) {
		HttpHeaders headers = exchange.getRequest().getHeaders();
		boolean program = headers.getFirst(HttpHeaders.AUTHORIZATION) != null
				&& headers.getFirst(HttpHeaders.ORIGIN) == null;
		return program ? MatchResult.notMatch() : MatchResult.match();
	}

}
