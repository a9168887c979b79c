package io.redelay.management;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

import io.redelay.queue.QueueOperations;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The endpoints on WebFlux, on a port of their own, at another base path, and with the
 * page at another path.
 */
class ReactiveEndpointsIntegrationTests {

	private final HttpClient client = HttpClient.newHttpClient();

	@Test
	void answerBehindOtherPathsAndAnotherPort() throws Exception {
		try (ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.REACTIVE)
			.run("--server.port=0", "--management.server.port=0", "--redelay.embedded-redis.port=0",
					// Tomcat and Netty are both on the class path.
					"--spring.main.allow-bean-definition-overriding=true", "--logging.level.io.redelay=off",
					"--spring.main.banner-mode=off", "--management.opentelemetry.enabled=false",
					"--management.otlp.metrics.export.enabled=false", "--management.endpoints.web.base-path=/manage",
					"--management.endpoints.web.exposure.include=queues,locks,redelay",
					"--management.endpoints.web.path-mapping.redelay=ops/page",
					"--management.endpoints.web.path-mapping.queues=x/queues",
					"--management.endpoint.queues.show-payloads=always")) {
			String uid = application.getBean(QueueOperations.class).send("orders", "x").id();
			String base = "http://localhost:" + application.getEnvironment().getProperty("local.management.port")
					+ "/manage/";
			HttpResponse<String> page = get(base + "ops/page");
			assertThat(page.statusCode()).isEqualTo(200);
			assertThat(page.body()).contains("src=\"page/app.js\"").doesNotContain("=\"redelay/");
			assertThat(get(base + "ops/page/app.js").headers().firstValue("Content-Type").orElse(""))
				.startsWith("text/javascript");
			assertThat(get(base + "ops/page/config").body()).contains("\"queues\":\"../x/queues\"",
					"\"locks\":\"../locks\"");
			assertThat(get(base + "x/queues/orders/messages/" + uid).body()).contains("\"payload\":\"x\"");
			HttpResponse<String> wrong = get(base + "x/queues/orders/messages?page=x");
			assertThat(wrong.statusCode()).isEqualTo(400);
			assertThat(wrong.body()).contains("\"parameter\":\"page\"");
			HttpResponse<String> unknown = get(base + "x/queues/nix");
			assertThat(unknown.statusCode()).isEqualTo(404);
			assertThat(unknown.body()).contains("unknown-queue");
		}
	}

	private HttpResponse<String> get(String uri) throws Exception {
		return this.client.send(HttpRequest.newBuilder(URI.create(uri)).build(), HttpResponse.BodyHandlers.ofString());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		SecurityWebFilterChain everybody(ServerHttpSecurity http) {
			return http.authorizeExchange((exchanges) -> exchanges.anyExchange().permitAll()).build();
		}

	}

}
