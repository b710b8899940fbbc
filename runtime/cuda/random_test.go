package cuda

import "testing"

func TestRandomState(t *testing.T) {
	d, _ := loadFake(t, toyPlan(t), Options{})
	if err := d.RandomState(7, 5); err != nil {
		t.Fatal(err)
	}
	kv, err := d.Buffer("kv")
	if err != nil {
		t.Fatal(err)
	}
	var sum, squares float64
	for i := range 5 * toyWidth {
		v := float64(getF(kv, i))
		sum, squares = sum+v, squares+v*v
	}
	if n := 5.0 * toyWidth; squares/n < 0.7 || squares/n > 1.3 || sum/n > 0.3 || sum/n < -0.3 {
		t.Errorf("mean %v, variance %v, want about 0 and 1", sum/n, squares/n)
	}
	if getF(kv, 5*toyWidth) != 0 {
		t.Error("a row past the position was filled")
	}
	if d.Pos() != 5 {
		t.Errorf("position %d, want 5", d.Pos())
	}
	if err := d.RandomState(7, toyCtx+1); err == nil {
		t.Error("more rows than the cache has were taken")
	}
}
