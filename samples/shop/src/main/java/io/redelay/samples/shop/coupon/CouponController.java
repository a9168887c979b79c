package io.redelay.samples.shop.coupon;

import java.net.URI;
import java.util.List;

import jakarta.validation.Valid;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * The coupons over HTTP.
 */
@RestController
@RequestMapping("/coupons")
class CouponController {

	private final CouponService coupons;

	CouponController(CouponService coupons) {
		this.coupons = coupons;
	}

	@PostMapping
	ResponseEntity<Coupon> issue(@Valid @RequestBody IssueCoupon request) {
		Coupon coupon = this.coupons.issue(request);
		return ResponseEntity.created(URI.create("/coupons/" + coupon.id())).body(coupon);
	}

	@GetMapping("/{id}")
	Coupon find(@PathVariable String id) {
		return this.coupons.find(id);
	}

	@GetMapping("/{id}/claims")
	List<CouponClaim> findClaims(@PathVariable String id) {
		return this.coupons.findClaims(id);
	}

	/**
	 * What a path says becomes the name of a lock only if there is such a coupon.
	 */
	@PostMapping("/{id}/claims")
	@ResponseStatus(HttpStatus.CREATED)
	CouponClaim claim(@PathVariable String id, @Valid @RequestBody ClaimCoupon request) {
		return this.coupons.claim(this.coupons.find(id).id(), request.userId());
	}

}
