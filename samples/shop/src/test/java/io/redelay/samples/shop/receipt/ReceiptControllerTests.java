package io.redelay.samples.shop.receipt;

import java.time.Instant;

import io.redelay.samples.shop.web.ConflictException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;

/**
 * Tests for {@link ReceiptController}.
 */
@WebMvcTest(ReceiptController.class)
class ReceiptControllerTests {

	@Autowired
	private MockMvcTester mvc;

	@MockitoBean
	private ReceiptService receipts;

	@Test
	void correctsAddress() {
		given(this.receipts.correct("7", "amy@example.com"))
			.willReturn(Receipt.of("7", "amy@example.com", Instant.parse("2026-11-20T10:00:00Z")));
		MvcTestResult result = correct("{'email':'amy@example.com'}");
		assertThat(result).hasStatusOk().bodyJson().isStrictlyEqualTo("""
				{"orderId": "7", "email": "amy@example.com", "status": "PENDING", "failures": 0,
				 "createdAt": "2026-11-20T10:00:00Z"}""");
	}

	@ParameterizedTest
	@ValueSource(strings = { "{}", "{'email':null}", "{'email':''}", "{'email':'nobody'}", "{'email':[]}" })
	void namesFieldOfBadRequest(String body) {
		MvcTestResult result = correct(body);
		assertThat(result).hasStatus(HttpStatus.BAD_REQUEST).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(result).bodyJson().extractingPath("$.errors.email").asString().isNotBlank();
		then(this.receipts).shouldHaveNoInteractions();
	}

	@Test
	void doesNotCorrectWhatIsSent() {
		given(this.receipts.correct("7", "amy@example.com")).willThrow(new ConflictException("sent already"));
		assertThat(correct("{'email':'amy@example.com'}")).hasStatus(HttpStatus.CONFLICT)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	private MvcTestResult correct(String body) {
		return this.mvc.put()
			.uri("/receipts/7")
			.contentType(MediaType.APPLICATION_JSON)
			.content(body.replace('\'', '"'))
			.exchange();
	}

}
