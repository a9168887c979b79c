package io.redelay.samples.shop;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;

import io.redelay.test.browser.Browser;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A test of the page of the queues with a browser, against the running shop. Tests of
 * this type that add no properties of their own share one shop, so they use their own
 * customers.
 */
@ShopTest
abstract class DashboardTest {

	private static final HttpClient http = HttpClient.newHttpClient();

	@RegisterExtension
	static final Browser browser = new Browser();

	ShopClient shop;

	private URI base;

	@BeforeEach
	void connect(@LocalServerPort int port) {
		this.base = URI.create("http://localhost:" + port);
		this.shop = new ShopClient(port);
	}

	/**
	 * Signs a user in and opens a view of the page.
	 * @param user {@code viewer} or {@code operator}, whose password is the name
	 * @param view the fragment of the view, as in {@code "#/queues/receipts"}
	 */
	void open(String user, String view) {
		browser.open(url("/actuator/redelay"));
		browser.see("input[name=username]").sendKeys(user);
		browser.see("input[name=password]").sendKeys(user);
		browser.click("button[type=submit]");
		browser.see("main");
		browser.open(url("/actuator/redelay" + view));
	}

	String url(String path) {
		return this.base.resolve(path).toString();
	}

	/**
	 * Sends a request as curl does.
	 * @param user whose password is the name, or {@code null} for none
	 */
	HttpResponse<String> request(@Nullable String user, String method, String path)
			throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest.newBuilder(this.base.resolve(path))
			.timeout(Duration.ofMinutes(2))
			.method(method, BodyPublishers.noBody());
		if (user != null) {
			request.header("Authorization", "Basic "
					+ Base64.getEncoder().encodeToString((user + ":" + user).getBytes(StandardCharsets.UTF_8)));
		}
		return http.send(request.build(), BodyHandlers.ofString());
	}

	/**
	 * Checks that a request is answered with a status.
	 */
	void answers(int status, @Nullable String user, String method, String path)
			throws IOException, InterruptedException {
		HttpResponse<String> response = request(user, method, path);
		assertThat(response.statusCode()).as("%s %s of %s: %s", method, path, user, response.body()).isEqualTo(status);
	}

}
