package io.redelay.management.docs;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

@Configuration(proxyBeanMethods = false)
class PageSecurity {

	@Bean
	SecurityFilterChain security(HttpSecurity http) {
		return http
			.authorizeHttpRequests((requests) -> requests.dispatcherTypeMatchers(DispatcherType.ERROR)
				.permitAll() // <1>
				.requestMatchers(EndpointRequest.to("health"))
				.permitAll()
				.requestMatchers(EndpointRequest.toAnyEndpoint())
				.hasAnyRole("VIEWER", "OPERATOR") // <2>
				.anyRequest()
				.authenticated())
			.formLogin(Customizer.withDefaults()) // <3>
			.httpBasic(Customizer.withDefaults()) // <4>
			.csrf((csrf) -> csrf.spa().ignoringRequestMatchers(PageSecurity::isOfProgram)) // <5>
			.build();
	}

	private static boolean isOfProgram(HttpServletRequest request) {
		return request.getHeader(HttpHeaders.AUTHORIZATION) != null && request.getHeader(HttpHeaders.ORIGIN) == null;
	}

}
