package io.redelay.samples.shop.order;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.MessageState;
import io.redelay.queue.QueueException;
import io.redelay.samples.shop.web.ConflictException;
import io.redelay.samples.shop.web.NotFoundException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.never;

/**
 * Tests for {@link OrderController}.
 */
@WebMvcTest(OrderController.class)
class OrderControllerTests {

	private static final PlaceOrder REQUEST = new PlaceOrder("book", new BigDecimal("42.50"), Duration.ofSeconds(3),
			null);

	@Autowired
	private MockMvcTester mvc;

	@MockitoBean
	private OrderService orders;

	@Test
	void placesOrder() {
		Instant now = Instant.parse("2026-11-20T10:00:00.5Z");
		ShopOrder order = ShopOrder.of(REQUEST, now);
		given(this.orders.place(REQUEST)).willReturn(order);
		MvcTestResult result = place("{'item':'book','amount':42.50,'payWithin':'PT3S'}");
		assertThat(result).hasStatus(HttpStatus.CREATED).hasHeader("Location", "/orders/" + order.id());
		assertThat(result).bodyJson()
			.isStrictlyEqualTo("""
					{"id": "%s", "item": "book", "amount": 42.50, "email": "customer@example.com", "status": "PENDING",
					 "createdAt": "2026-11-20T10:00:00.500Z", "payBy": "2026-11-20T10:00:03.500Z"}"""
				.formatted(order.id()));
	}

	@Test
	void readsDurationsOfSpringStyle() {
		given(this.orders.place(REQUEST)).willReturn(ShopOrder.of(REQUEST, Instant.now()));
		assertThat(place("{'item':'book','amount':42.50,'payWithin':'3s'}")).hasStatus(HttpStatus.CREATED);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			item      | {'amount':42.50,'payWithin':'PT3S'}
			item      | {'item':' ','amount':42.50,'payWithin':'PT3S'}
			item      | {'item':{},'amount':42.50,'payWithin':'PT3S'}
			amount    | {'item':'book','payWithin':'PT3S'}
			amount    | {'item':'book','amount':0,'payWithin':'PT3S'}
			amount    | {'item':'book','amount':-1,'payWithin':'PT3S'}
			amount    | {'item':'book','amount':1.234,'payWithin':'PT3S'}
			amount    | {'item':'book','amount':1e999999999,'payWithin':'PT3S'}
			amount    | {'item':'book','amount':'much','payWithin':'PT3S'}
			payWithin | {'item':'book','amount':42.50}
			payWithin | {'item':'book','amount':42.50,'payWithin':'soon'}
			payWithin | {'item':'book','amount':42.50,'payWithin':'PT0S'}
			payWithin | {'item':'book','amount':42.50,'payWithin':'-PT3S'}
			payWithin | {'item':'book','amount':42.50,'payWithin':'P366D'}
			payWithin | {'item':'book','amount':42.50,'payWithin':[]}
			email     | {'item':'book','amount':42.50,'payWithin':'PT3S','email':'nobody'}
			""")
	void namesFieldOfBadRequest(String field, String body) {
		MvcTestResult result = place(body);
		assertThat(result).hasStatus(HttpStatus.BAD_REQUEST).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(result).bodyJson().extractingPath("$.detail").isEqualTo("Not valid: " + field);
		assertThat(result).bodyJson().extractingPath("$.errors." + field).asString().isNotBlank();
		then(this.orders).should(never()).place(any());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			''
			{'item'
			[]
			null
			'"book"'
			""")
	void refusesWhatIsNoOrder(String body) {
		assertThat(place(body)).hasStatus(HttpStatus.BAD_REQUEST).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	@Test
	void doesNotFindUnknownOrder() {
		given(this.orders.find("7")).willThrow(new NotFoundException("order", "7"));
		MvcTestResult result = this.mvc.get().uri("/orders/7").exchange();
		assertThat(result).hasStatus(HttpStatus.NOT_FOUND).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(result).bodyJson().extractingPath("$.detail").isEqualTo("There is no order '7'");
	}

	@Test
	void showsReminder() {
		given(this.orders.findReminder("7"))
			.willReturn(new Reminder(MessageState.SCHEDULED, Instant.parse("2026-11-20T10:00:01.5Z")));
		MvcTestResult result = this.mvc.get().uri("/orders/7/reminder").exchange();
		assertThat(result).hasStatusOk().bodyJson().isStrictlyEqualTo("""
				{"state": "SCHEDULED", "dueAt": "2026-11-20T10:00:01.500Z"}""");
	}

	@Test
	void reportsThatQueueDoesNotAnswer() {
		given(this.orders.findReminder("7")).willThrow(new QueueException("No connection"));
		MvcTestResult result = this.mvc.get().uri("/orders/7/reminder").exchange();
		assertThat(result).hasStatus(HttpStatus.SERVICE_UNAVAILABLE).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	@Test
	void doesNotPayCancelledOrder() {
		given(this.orders.pay("7")).willThrow(new ConflictException("The order '7' is cancelled"));
		MvcTestResult result = this.mvc.post().uri("/orders/7/pay").exchange();
		assertThat(result).hasStatus(HttpStatus.CONFLICT).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	@Test
	void reportsThatMessageWasNotSent() {
		given(this.orders.place(any())).willThrow(new MessageSendException("No connection", null));
		MvcTestResult result = place("{'item':'book','amount':42.50,'payWithin':'PT3S'}");
		assertThat(result).hasStatus(HttpStatus.SERVICE_UNAVAILABLE).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	private MvcTestResult place(String body) {
		return this.mvc.post()
			.uri("/orders")
			.contentType(MediaType.APPLICATION_JSON)
			.content(body.replace('\'', '"'))
			.exchange();
	}

}
