package io.redelay.samples.shop.operations;

import java.util.Set;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.factory.PasswordEncoderFactories;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.HttpStatusEntryPoint;
import org.springframework.security.web.authentication.LoginUrlAuthenticationEntryPoint;
import org.springframework.security.web.authentication.www.BasicAuthenticationEntryPoint;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;
import org.springframework.security.web.util.matcher.MediaTypeRequestMatcher;
import org.springframework.security.web.util.matcher.OrRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;

import static org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher.pathPattern;

/**
 * Protects the management endpoints, the page of the queues among them. A viewer looks,
 * an operator acts as well. People sign in with a form, programs such as curl and
 * Prometheus with HTTP Basic. Customers of the shop need no account.
 */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {

	private static final String VIEWER = "VIEWER";

	private static final String OPERATOR = "OPERATOR";

	private static final String SIGN_IN = "/login";

	@Bean
	@Order(1)
	SecurityFilterChain managementSecurity(HttpSecurity http) {
		BasicAuthenticationEntryPoint basic = new BasicAuthenticationEntryPoint();
		basic.setRealmName("shop");
		RequestMatcher pages = pages();
		return http
			.securityMatcher(new OrRequestMatcher(EndpointRequest.toAnyEndpoint(), EndpointRequest.toLinks(),
					pathPattern(SIGN_IN), pathPattern("/logout"), pathPattern("/default-ui.css")))
			.authorizeHttpRequests((requests) -> requests
				// Load balancers have no account. They see a status and no details.
				.requestMatchers(EndpointRequest.to(HealthEndpoint.class))
				.permitAll()
				.requestMatchers(HttpMethod.GET)
				.hasAnyRole(VIEWER, OPERATOR)
				.anyRequest()
				.hasRole(OPERATOR))
			.formLogin(Customizer.withDefaults())
			.logout((logout) -> logout.logoutSuccessUrl(SIGN_IN))
			.httpBasic((credentials) -> credentials.authenticationEntryPoint(basic))
			.exceptionHandling((handling) -> handling
				.defaultAuthenticationEntryPointFor(new LoginUrlAuthenticationEntryPoint(SIGN_IN), pages)
				// The page says by itself that a session has ended; a browser would ask
				// for a password.
				.defaultAuthenticationEntryPointFor(new HttpStatusEntryPoint(HttpStatus.UNAUTHORIZED),
						SecurityConfiguration::isOfScript)
				.defaultAuthenticationEntryPointFor(basic, (request) -> true))
			// The page reads the token from a cookie and sends it in a header.
			.csrf((csrf) -> csrf.spa()
				.csrfTokenRepository(CookieCsrfTokenRepository.withHttpOnlyFalse())
				.ignoringRequestMatchers(SecurityConfiguration::isOfProgram))
			.build();
	}

	/**
	 * What a browser shows as a page, so that it leads to the form.
	 */
	private static RequestMatcher pages() {
		MediaTypeRequestMatcher html = new MediaTypeRequestMatcher(MediaType.TEXT_HTML);
		html.setIgnoredMediaTypes(Set.of(MediaType.ALL));
		return html;
	}

	private static boolean isOfScript(HttpServletRequest request) {
		return "XMLHttpRequest".equals(request.getHeader("X-Requested-With"));
	}

	/**
	 * A program sends its credentials by itself, so nobody can make it send a request
	 * that it does not want to. A browser names the origin of each such request.
	 */
	private static boolean isOfProgram(HttpServletRequest request) {
		return request.getHeader(HttpHeaders.AUTHORIZATION) != null && request.getHeader(HttpHeaders.ORIGIN) == null;
	}

	/**
	 * The shop itself is open to all.
	 */
	@Bean
	@Order(2)
	SecurityFilterChain shopSecurity(HttpSecurity http) {
		return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
			.csrf((csrf) -> csrf.disable())
			.build();
	}

	@Bean
	PasswordEncoder passwordEncoder() {
		return PasswordEncoderFactories.createDelegatingPasswordEncoder();
	}

	@Bean
	UserDetailsService users(OperationsProperties properties, PasswordEncoder encoder) {
		return new InMemoryUserDetailsManager(
				User.withUsername("viewer").password(encoder.encode(properties.viewerPassword())).roles(VIEWER).build(),
				User.withUsername("operator")
					.password(encoder.encode(properties.operatorPassword()))
					.roles(VIEWER, OPERATOR)
					.build());
	}

}
