package io.redelay.samples.shop.coupon;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.redelay.lock.LockBackendException;
import io.redelay.lock.LockNotAcquiredException;
import io.redelay.samples.shop.web.ConflictException;
import io.redelay.samples.shop.web.NotFoundException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.never;

/**
 * Tests for {@link CouponController}.
 */
@WebMvcTest(CouponController.class)
class CouponControllerTests {

	private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");

	private final Coupon coupon = Coupon.of(new IssueCoupon("launch", 100), NOW);

	private final String claims = "/coupons/" + this.coupon.id() + "/claims";

	@Autowired
	private MockMvcTester mvc;

	@MockitoBean
	private CouponService coupons;

	@Test
	void issuesCoupon() {
		given(this.coupons.issue(new IssueCoupon("launch", 100))).willReturn(this.coupon);
		MvcTestResult result = post("/coupons", "{'name':'launch','stock':100}");
		assertThat(result).hasStatus(HttpStatus.CREATED).hasHeader("Location", "/coupons/" + this.coupon.id());
		assertThat(result).bodyJson()
			.isStrictlyEqualTo("""
					{"id": "%s", "name": "launch", "stock": 100, "createdAt": "2026-11-20T10:00:00Z"}"""
				.formatted(this.coupon.id()));
	}

	@Test
	void claimsCoupon() {
		given(this.coupons.find(this.coupon.id())).willReturn(this.coupon);
		CouponClaim claim = CouponClaim.of(this.coupon.id(), 7, NOW);
		given(this.coupons.claim(this.coupon.id(), 7)).willReturn(claim);
		MvcTestResult result = post(this.claims, "{'userId':7}");
		assertThat(result).hasStatus(HttpStatus.CREATED);
		assertThat(result).bodyJson()
			.isStrictlyEqualTo("""
					{"id": "%s", "couponId": "%s", "userId": 7, "claimedAt": "2026-11-20T10:00:00Z"}"""
				.formatted(claim.id(), this.coupon.id()));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			name  | {'stock':100}
			name  | {'name':' ','stock':100}
			stock | {'name':'launch'}
			stock | {'name':'launch','stock':0}
			stock | {'name':'launch','stock':'many'}
			""")
	void namesFieldOfBadCoupon(String field, String body) {
		assertThatFieldIsNamed(post("/coupons", body), field);
	}

	@ParameterizedTest
	@ValueSource(strings = { "{}", "{'userId':null}", "{'userId':-7}", "{'userId':'amy'}", "{'userId':1.5}" })
	void namesFieldOfBadClaim(String body) {
		assertThatFieldIsNamed(post(this.claims, body), "userId");
	}

	@Test
	void claimThatIsRefusedIsAConflict() {
		given(this.coupons.find(this.coupon.id())).willReturn(this.coupon);
		given(this.coupons.claim(this.coupon.id(), 7)).willThrow(new ConflictException("sold out"));
		assertThatProblemIs(post(this.claims, "{'userId':7}"), HttpStatus.CONFLICT, "sold out");
	}

	@Test
	void claimThatHasToWaitTooLongIsToBeTriedAgain() {
		given(this.coupons.find(this.coupon.id())).willReturn(this.coupon);
		given(this.coupons.claim(this.coupon.id(), 7))
			.willThrow(new LockNotAcquiredException("held", List.of("coupon:7"), Duration.ofSeconds(1), null));
		MvcTestResult result = post(this.claims, "{'userId':7}");
		assertThatProblemIs(result, HttpStatus.TOO_MANY_REQUESTS, "Too busy, try again");
		assertThat(result).hasHeader("Retry-After", "1");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void claimWithoutRedisIsNotCalledBusy(CapturedOutput output) {
		given(this.coupons.find(this.coupon.id())).willReturn(this.coupon);
		given(this.coupons.claim(this.coupon.id(), 7))
			.willThrow(new LockBackendException(List.of("coupon:7"), Duration.ofSeconds(1), null));
		assertThatProblemIs(post(this.claims, "{'userId':7}"), HttpStatus.SERVICE_UNAVAILABLE,
				"There are no locks at present; nothing was done");
		assertThat(output).contains("Answered with 503: io.redelay.lock.LockBackendException: The lock [coupon:7]")
			.doesNotContain("\tat io.redelay");
	}

	@Test
	void unknownCouponIsNotFoundAndNotLocked() {
		given(this.coupons.find("7")).willThrow(new NotFoundException("coupon", "7"));
		assertThatProblemIs(post("/coupons/7/claims", "{'userId':7}"), HttpStatus.NOT_FOUND, "There is no coupon '7'");
		then(this.coupons).should(never()).claim(anyString(), anyLong());
	}

	private MvcTestResult post(String path, String body) {
		return this.mvc.post()
			.uri(path)
			.contentType(MediaType.APPLICATION_JSON)
			.content(body.replace('\'', '"'))
			.exchange();
	}

	private static void assertThatFieldIsNamed(MvcTestResult result, String field) {
		assertThat(result).hasStatus(HttpStatus.BAD_REQUEST).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(result).bodyJson().extractingPath("$.errors." + field).asString().isNotBlank();
	}

	private static void assertThatProblemIs(MvcTestResult result, HttpStatus status, String detail) {
		assertThat(result).hasStatus(status).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(result).bodyJson().extractingPath("$.detail").isEqualTo(detail);
	}

}
