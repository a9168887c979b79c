package io.redelay.samples.shop;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Cookie;

import static io.redelay.samples.shop.ShopClient.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who may look at the queues of the shop, and who may steer them.
 */
class OperationsIntegrationTests extends DashboardTest {

	@Test
	void aUserWhoIsNotSignedInSeesNothing() throws Exception {
		for (String path : new String[] { "/actuator", "/actuator/queues", "/actuator/queues/receipts",
				"/actuator/redelay", "/actuator/redelay/app.js", "/actuator/redelay/config", "/actuator/prometheus" }) {
			answers(401, null, "GET", path);
		}
		answers(401, "stranger", "GET", "/actuator/queues");
		browser.open(url("/actuator/redelay"));
		browser.see("input[name=password]");
		assertThat(browser.driver().getPageSource()).doesNotContain("receipts");
	}

	@Test
	void aLoadBalancerSeesTheStatusAndNoDetails() throws Exception {
		HttpResponse<String> health = request(null, "GET", "/actuator/health");
		assertThat(health.statusCode()).isEqualTo(200);
		assertThat(health.body()).contains("UP").doesNotContain("components");
		assertThat(request("viewer", "GET", "/actuator/health").body()).contains("components");
	}

	@Test
	void aViewerSeesQueuesAndChangesNothing() throws Exception {
		used();
		answers(200, "viewer", "GET", "/actuator/queues");
		answers(200, "viewer", "GET", "/actuator/queues/receipts");
		answers(200, "viewer", "GET", "/actuator/prometheus");
		answers(403, "viewer", "POST", "/actuator/queues/receipts/pause");
		answers(403, "viewer", "DELETE", "/actuator/queues/receipts?confirm=receipts");
		assertThat(request("viewer", "GET", "/actuator/queues/receipts").body()).contains("\"paused\":false");
	}

	@Test
	void thePageOpensForAViewerAndForAnOperator() throws Exception {
		used();
		open("viewer", "");
		browser.see("body", "receipts");
		assertThat(request("viewer", "GET", "/actuator/redelay/config").body()).contains("\"write\":false");
		browser.driver().manage().deleteAllCookies();
		open("operator", "");
		browser.see("body", "receipts");
		assertThat(request("operator", "GET", "/actuator/redelay/config").body()).contains("\"write\":true");
	}

	@Test
	void aRequestOfTheBrowserNeedsTheTokenThatThePageReadsFromItsCookie() throws Exception {
		used();
		open("operator", "");
		browser.see("body", "receipts");
		String post = """
				const [path, headers, done] = arguments;
				fetch(path, { method: 'POST', headers }).then(answer => done(answer.status));""";
		Cookie token = browser.driver().manage().getCookieNamed("XSRF-TOKEN");
		assertThat(token).isNotNull();
		Object without = browser.driver().executeAsyncScript(post, "/actuator/queues/no-such-queue/pause", Map.of());
		Object with = browser.driver()
			.executeAsyncScript(post, "/actuator/queues/no-such-queue/pause", Map.of("X-XSRF-TOKEN", token.getValue()));
		assertThat(without).isEqualTo(403L);
		assertThat(with).isNotEqualTo(403L).isNotEqualTo(401L);
	}

	@Test
	@Tag("full")
	void thePageSaysThatItsSessionHasEndedInsteadOfTheBrowserAskingForAPassword() throws Exception {
		used();
		open("viewer", "");
		browser.see("body", "receipts");
		Object answer = browser.driver()
			.executeAsyncScript("""
					const [path, headers, done] = arguments;
					fetch(path, { credentials: 'omit', headers })
						.then(answer => done(answer.status + ' ' + answer.headers.get('WWW-Authenticate')));""",
					"/actuator/queues", Map.of("X-Requested-With", "XMLHttpRequest"));
		assertThat(answer).isEqualTo("401 null");
		browser.driver().manage().deleteAllCookies();
		browser.see("#trouble", "not signed in");
	}

	@Test
	void customersNeedNoAccount() {
		String order = this.shop.placeOrder(Duration.ofMinutes(5));
		assertThat(this.shop.order(order).status()).isEqualTo("PENDING");
	}

	private void used() {
		String order = this.shop.placeOrder(Duration.ofMinutes(5));
		this.shop.pay(order);
		eventually(() -> assertThat(this.shop.receipt(order).code()).isEqualTo(200));
	}

}
