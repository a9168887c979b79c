package io.redelay.management.docs;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.crypto.factory.PasswordEncoderFactories;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

@Configuration(proxyBeanMethods = false)
class PageUsers {

	@Bean
	InMemoryUserDetailsManager users(@Value("${page.viewer-password}") String viewer,
			@Value("${page.operator-password}") String operator) {
		PasswordEncoder encoder = PasswordEncoderFactories.createDelegatingPasswordEncoder();
		return new InMemoryUserDetailsManager(
				User.withUsername("viewer").password(encoder.encode(viewer)).roles("VIEWER").build(),
				User.withUsername("operator").password(encoder.encode(operator)).roles("OPERATOR").build());
	}

}
