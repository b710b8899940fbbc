package arena

import (
	"reflect"
	"strings"
	"testing"
)

func TestReadCSV(t *testing.T) {
	for _, c := range []struct {
		name, text, err string
		want            []Buffer
	}{
		{name: "benchmark", text: "id,lower,upper,size\nb1,0,3,4\nb2,3,9,5\n",
			want: []Buffer{{Name: "b1", Upper: 3, Size: 4}, {Name: "b2", Lower: 3, Upper: 9, Size: 5}}},
		{name: "all columns", text: "upper,lower,id,offset,size,alignment,hint\n3,-1,x,,4,8,5\n3,0,y,16,4,1,\n",
			want: []Buffer{{Name: "x", Lower: -1, Upper: 3, Size: 4, Align: 8}, {Name: "y", Upper: 3, Size: 4, Align: 1, Fixed: true, Offset: 16}}},
		{name: "empty", err: "buffer list: header: EOF"},
		{name: "gaps", text: "id,lower,upper,size,gaps\n", err: `buffer list: unknown column "gaps"`},
		{name: "twice", text: "id,lower,upper,size,size\n", err: `buffer list: column "size" appears twice`},
		{name: "missing", text: "id,lower,size\n", err: `buffer list: no column "upper"`},
		{name: "number", text: "id,lower,upper,size\na,0,1,1\nb,0,x,1\n", err: `buffer list: line 3: upper: strconv.ParseInt: parsing "x": invalid syntax`},
		{name: "negative size", text: "id,lower,upper,size\na,0,1,-1\n", err: `buffer list: line 2: size: strconv.ParseUint: parsing "-1": invalid syntax`},
		{name: "short row", text: "id,lower,upper,size\na,0,1\n", err: "buffer list: record on line 2: wrong number of fields"},
		{name: "repeated id", text: "id,lower,upper,size\na,0,1,1\na,0,1,1\n", err: `buffer list: line 3: id "a" appears twice`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ReadCSV(strings.NewReader(c.text))
			if err != nil || c.err != "" {
				if err == nil || err.Error() != c.err {
					t.Fatalf("got %v, want %s", err, c.err)
				}
				return
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
